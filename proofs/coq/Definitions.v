(* What the theorems speak of. They model the Python side:

   leaf           an extent and a stride; stride 0 is a value leaf, any other a thread leaf (packmap.PackLeaf)
   N, V           size of a leaf list, and its value count: how many elements one thread holds
   P l t k        position, row-major over the leaves, of the element that thread t holds at flat distributed index k
                  (packmap.PackLayout.own; rewrites.definitions states the same equations)
   coalesce       IREE's coalesce: from the right, drop extent 1, merge a leaf into its right neighbour
   E l i          the pack map as a function of the flat index (packmap.PackMap.evaluate)

   The rightmost leaf is fastest. div and mod are floor division, as Python's // and %. *)

Require Import ZArith List.
Import ListNotations.
Open Scope Z_scope.

Definition leaf := (Z * Z)%type.

Fixpoint N (l : list leaf) : Z :=
  match l with [] => 1 | (s, _) :: r => s * N r end.

Fixpoint V (l : list leaf) : Z :=
  match l with [] => 1 | (s, d) :: r => (if d =? 0 then s else 1) * V r end.

Fixpoint P (l : list leaf) (t k : Z) : Z :=
  match l with
  | [] => 0
  | (s, d) :: r => (if d =? 0 then (k / V r) mod s else (t / d) mod s) * N r + P r t k
  end.

Definition valid (l : list leaf) : Prop := Forall (fun x => 1 <= fst x /\ 0 <= snd x) l.

Fixpoint E (l : list leaf) (i : Z) : Z :=
  match l with [] => 0 | (s, d) :: r => (i / N r) mod s * d + E r i end.

Definition merge (x : leaf) (l : list leaf) : list leaf :=
  match x, l with
  | _, [] => [x]
  | (s, d), (a, e) :: q =>
      if s =? 1 then l else if a =? 1 then (s, d) :: q else if a * e =? d then (s * a, e) :: q else x :: l
  end.

Fixpoint coalesce (l : list leaf) : list leaf :=
  match l with [] => [] | x :: r => merge x (coalesce r) end.

(* step: affine.linearize_index of the thread digits with zero at value leaves, plus a constant for each value *)
Fixpoint horner (l : list leaf) (a t : Z) : Z :=
  match l with [] => a | (s, d) :: r => horner r (a * s + if d =? 0 then 0 else (t / d) mod s) t end.

Fixpoint values (l : list leaf) (k : Z) : Z :=
  match l with [] => 0 | (s, d) :: r => (if d =? 0 then (k / V r) mod s * N r else 0) + values r k end.

(* makeIdentity *)
Fixpoint prod (shape : list Z) : Z := match shape with [] => 1 | s :: r => s * prod r end.
Fixpoint identity_map (shape : list Z) : list leaf :=
  match shape with [] => [] | s :: r => (s, prod r) :: identity_map r end.

(* A vector of several modes at one distributed index: each mode with the flat value index into it. *)
Definition modes := list (list leaf * Z).
Definition coords (z : modes) (t : Z) : list Z := map (fun m => P (fst m) t (snd m)) z.
Definition valid_modes (z : modes) : Prop := Forall (fun m => valid (fst m)) z.
Definition coalesce_modes (z : modes) : modes := map (fun m => (coalesce (fst m), snd m)) z.
Definition permute {X} (place : X) (p : list nat) (z : list X) : list X := map (fun i => nth i z place) p.

(* A stretched broadcast: where the flag is set, the source has a unit mode, and the element has coordinate 0. *)
Fixpoint unit_at (u : list bool) (z : modes) : modes :=
  match u, z with b :: u', m :: z' => (if b then ([(1, 0)], 0) else m) :: unit_at u' z' | _, _ => z end.
Fixpoint zero_at (u : list bool) (c : list Z) : list Z :=
  match u, c with b :: u', x :: c' => (if b then 0 else x) :: zero_at u' c' | _, _ => c end.

(* What a broadcast reads: 0 along a dimension of extent 1. A mode without values is the same at every index. *)
Fixpoint clip (extents index : list Z) : list Z :=
  match extents, index with e :: r, c :: q => (if e =? 1 then 0 else c) :: clip r q | _, _ => index end.
Fixpoint within (extents index : list Z) : Prop :=
  match extents, index with e :: r, c :: q => 0 <= c < e /\ within r q | _, _ => True end.
Definition fixed (l : list leaf) : Prop := Forall (fun x => snd x <> 0 \/ fst x = 1) l.

(* Thread leaves that form a chain, sorted by stride, finest first: a gap g (digit q, which tells replicas apart),
   then a leaf of extent s (digit c). The leaf's stride is g times the product of the cells before it. *)
Record cell := Cell { gap : Z; extent : Z; replica : Z; digit : Z }.
Definition positive (x : cell) : Prop := 1 <= gap x /\ 1 <= extent x.
Definition in_range (x : cell) : Prop := 0 <= replica x < gap x /\ 0 <= digit x < extent x.
Definition same_leaf (x y : cell) : Prop := gap x = gap y /\ extent x = extent y.

(* thread l h: the thread id with these digits; h counts repetitions of the whole chain *)
Fixpoint thread (l : list cell) (h : Z) : Z :=
  match l with [] => h | x :: r => replica x + gap x * (digit x + extent x * thread r h) end.
(* the same as a sum of digit times stride, the strides beginning at a *)
Fixpoint strided (l : list cell) (a h : Z) : Z :=
  match l with
  | [] => a * h
  | x :: r => a * replica x + a * gap x * digit x + strided r (a * gap x * extent x) h
  end.
(* affine.delinearize_index with the gaps and extents as basis *)
Fixpoint delinearize (l : list cell) (t : Z) : list Z :=
  match l with [] => [] | x :: r => (t / gap x) mod extent x :: delinearize r (t / (gap x * extent x)) end.
(* the digits as P takes them: (t div stride) mod extent *)
Fixpoint digits_at (l : list cell) (a t : Z) : list Z :=
  match l with [] => [] | x :: r => (t / (a * gap x)) mod extent x :: digits_at r (a * gap x * extent x) t end.
(* a chain with the digits of thread t put in, and what is left of t *)
Fixpoint read (l : list cell) (t : Z) : list cell :=
  match l with
  | [] => []
  | x :: r => Cell (gap x) (extent x) (t mod gap x) ((t / gap x) mod extent x) :: read r (t / (gap x * extent x))
  end.
Fixpoint rest (l : list cell) (t : Z) : Z :=
  match l with [] => t | x :: r => rest r (t / (gap x * extent x)) end.
Fixpoint end_of (l : list cell) : Z := match l with [] => 1 | x :: r => gap x * extent x * end_of r end.
