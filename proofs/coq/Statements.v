(* Every theorem, stated: for all lists of any length, all extents and all strides. Proofs.v proves them. *)

Require Import ZArith List.
Require Import Definitions.
Import ListNotations.
Open Scope Z_scope.

(* Lists side by side: mode boundaries do not change a position. *)
Definition append_statement := forall a b t k, valid a -> valid b ->
  N (a ++ b) = N a * N b /\ V (a ++ b) = V a * V b /\ P (a ++ b) t k = P a t (k / V b) * N b + P b t k.

(* Every position lies inside, and an index beyond the value count wraps. *)
Definition inside_statement := forall l t k, valid l -> 0 <= P l t k < N l /\ P l t (k mod V l) = P l t k.

(* coalesce keeps size, value count and every position; and the function of the flat index. *)
Definition coalesce_statement := forall l t k, valid l ->
  valid (coalesce l) /\ N (coalesce l) = N l /\ V (coalesce l) = V l /\ P (coalesce l) t k = P l t k.
Definition coalesce_map_statement := forall l i, valid l -> E (coalesce l) i = E l i.

(* makeIdentity is the identity. *)
Definition identity_statement := forall shape i, Forall (fun s => 1 <= s) shape ->
  1 <= prod shape /\ E (identity_map shape) i = i mod prod shape.

(* shape_cast from a to b. *)
Definition shape_cast_statement := forall a b t k, valid a -> valid b -> coalesce a = coalesce b ->
  N a = N b /\ V a = V b /\ P a t k = P b t k.

(* reshape splits leaves and inserts unit leaves, anywhere. *)
Definition reshape_statement := forall h l s a e d t k,
  valid h -> valid l -> 1 <= s -> 1 <= a -> 0 <= e -> 0 <= d ->
  P (h ++ (s, a * e) :: (a, e) :: l) t k = P (h ++ (s * a, e) :: l) t k /\ P (h ++ (1, d) :: l) t k = P (h ++ l) t k.

(* transpose: each coordinate is that of the mode the permutation names; nothing is asked of sizes or strides. *)
Definition transpose_statement := forall p z t, coords (permute ([], 0) p z) t = permute 0 p (coords z t).
Definition transpose_given_statement := forall p z b t,
  valid_modes b -> valid_modes (permute ([], 0) p z) -> coalesce_modes b = coalesce_modes (permute ([], 0) p z) ->
  coords b t = permute 0 p (coords z t).

(* broadcast along leading modes, by coordinates and by flat position; and along a stretched unit mode. *)
Definition broadcast_statement := forall n z t, coords (skipn n z) t = skipn n (coords z t).
Definition broadcast_flat_statement := forall h l t k, valid h -> valid l ->
  P l t (k mod V l) = P (h ++ l) t k mod N l.
Definition stretched_statement := forall u z t, coords (unit_at u z) t = zero_at u (coords z t).
Definition fixed_mode_statement := forall l t k j, fixed l -> P l t k = P l t j.
Definition clipped_statement := forall extents index, within extents index -> clip extents index = index.

(* step: linearised thread digits plus the offset of the value are the position. *)
Definition step_statement := forall l t k, horner l 0 t + values l k = P l t k.

(* The digits of a thread: by delinearize_index, by strides, and what they decode. *)
Definition strides_statement := forall l a t, Forall positive l -> 1 <= a -> delinearize l (t / a) = digits_at l a t.
Definition weights_statement := forall l a h, strided l a h = a * thread l h.
Definition decode_statement := forall l h, Forall in_range l -> delinearize l (thread l h) = map digit l.
Definition extent_statement := forall l, Forall in_range l -> 0 <= thread l 0 < end_of l.
Definition injective_statement := forall a b h j, Forall in_range a -> Forall in_range b -> Forall2 same_leaf a b ->
  thread a h = thread b j -> map digit a = map digit b /\ h = j.
Definition totality_statement := forall l t, Forall positive l ->
  thread (read l t) (rest l t) = t /\ Forall in_range (read l t) /\ map digit (read l t) = delinearize l t.
