(* Proofs of Statements.v; Assumptions.v asks what they assume. *)

Require Import ZArith List Lia Bool.
Require Import Definitions Statements.
Import ListNotations.
Open Scope Z_scope.

(* ---- Arithmetic ---- *)

Lemma positive_product x y : 1 <= x -> 1 <= y -> 1 <= x * y.
Proof. intros. assert (0 < x * y) by (apply Z.mul_pos_pos; lia). lia. Qed.

Lemma div_of_div t d w : 1 <= d -> 1 <= w -> t / d / w = t / (d * w).
Proof. intros. apply Z.div_div; lia. Qed.

Lemma split_digit t s a : 1 <= s -> 1 <= a -> t mod (s * a) = (t / a) mod s * a + t mod a.
Proof. intros. rewrite (Z.mul_comm s a), Z.rem_mul_r by lia. ring. Qed.

Lemma quotient g q x : 0 <= q < g -> (q + g * x) / g = x.
Proof. intros. rewrite Z.mul_comm, Z.div_add by lia. rewrite Z.div_small by lia. lia. Qed.

Lemma remainder g q x : 0 <= q < g -> (q + g * x) mod g = q.
Proof. intros. rewrite Z.mul_comm, Z.mod_add by lia. apply Z.mod_small; lia. Qed.

Lemma row_major c s p n : 0 <= c < s -> 0 <= p < n -> 0 <= c * n + p < s * n.
Proof.
  intros. assert (0 <= c * n) by (apply Z.mul_nonneg_nonneg; lia).
  assert ((c + 1) * n <= s * n) by (apply Z.mul_le_mono_nonneg_r; lia). lia.
Qed.

Lemma division t m : 1 <= m -> t = m * (t / m) + t mod m.
Proof. intros. apply Z.div_mod; lia. Qed.

(* ---- Leaf lists: size, value count, position ---- *)

Lemma valid_cons s d r : valid ((s, d) :: r) <-> 1 <= s /\ 0 <= d /\ valid r.
Proof. unfold valid. rewrite Forall_cons_iff. cbn [fst snd]. tauto. Qed.

Ltac leaves l H :=
  induction l as [|[s d] r IH]; [|apply valid_cons in H; destruct H as (Hs & Hd & H); specialize (IH H)].

Lemma N_pos l : valid l -> 1 <= N l.
Proof. intro H. leaves l H; cbn [N]; [lia|]. apply positive_product; assumption. Qed.

Lemma V_pos l : valid l -> 1 <= V l.
Proof. intro H. leaves l H; cbn [V]; [lia|]. apply positive_product; [destruct (d =? 0); lia|assumption]. Qed.

Lemma N_append a b : N (a ++ b) = N a * N b.
Proof. induction a as [|[s d] r IH]; cbn [N app]; [|rewrite IH]; ring. Qed.

Lemma V_append a b : V (a ++ b) = V a * V b.
Proof. induction a as [|[s d] r IH]; cbn [V app]; [|rewrite IH]; ring. Qed.

Theorem append : append_statement.
Proof.
  intros a b t k Ha Hb. split; [apply N_append|]. split; [apply V_append|].
  pose proof (V_pos b Hb) as Vb. leaves a Ha; cbn [P app]; [ring|].
  pose proof (V_pos r Ha) as Vr. rewrite IH, N_append, V_append.
  replace (k / (V r * V b)) with (k / V b / V r) by (rewrite div_of_div by lia; f_equal; ring).
  destruct (d =? 0); ring.
Qed.

Lemma inside l t k : valid l -> 0 <= P l t k < N l.
Proof.
  intro H. leaves l H; cbn [P N]; [lia|]. apply row_major; [|exact IH].
  destruct (d =? 0); apply Z.mod_pos_bound; lia.
Qed.

Lemma wrapped l t k : valid l -> P l t (k mod V l) = P l t k.
Proof.
  intro H. revert k. leaves l H; intro k; cbn [P V]; [reflexivity|]. pose proof (V_pos r H) as Vr.
  destruct (d =? 0); [|rewrite Z.mul_1_l, IH; reflexivity].
  rewrite <- (IH (k mod (s * V r))), <- (IH k), split_digit by lia.
  assert (0 <= k mod V r < V r) by (apply Z.mod_pos_bound; lia).
  rewrite (Z.add_comm (_ * V r)), (Z.mul_comm _ (V r)), quotient, remainder, Z.mod_mod by lia. reflexivity.
Qed.

Theorem inside_and_wrapped : inside_statement.
Proof. intros l t k H. split; [apply inside|apply wrapped]; exact H. Qed.

(* ---- Merging and splitting a leaf ---- *)

(* A leaf list only counts through N, V and P: lists that agree on these agree with any leaf in front. *)
Definition agree (a b : list leaf) := N a = N b /\ V a = V b /\ forall t k, P a t k = P b t k.

Lemma agree_cons x a b : agree a b -> agree (x :: a) (x :: b).
Proof.
  destruct x as [s d]. intros (HN & HV & HP). split; [|split]; cbn [N V P]; [congruence|congruence|].
  intros. rewrite HN, HV, HP. reflexivity.
Qed.

Lemma unit_leaf d l : agree ((1, d) :: l) l.
Proof.
  split; [|split]; cbn [N V P]; [ring|destruct (d =? 0); ring|].
  intros. rewrite !Z.mod_1_r. destruct (d =? 0); ring.
Qed.

Lemma split_leaf s a e l : valid l -> 1 <= s -> 1 <= a -> 0 <= e -> agree ((s, a * e) :: (a, e) :: l) ((s * a, e) :: l).
Proof.
  intros Hl Hs Ha He. pose proof (V_pos l Hl) as Vl.
  destruct (Z.eqb_spec e 0) as [->|Hne].
  - rewrite Z.mul_0_r. split; [|split]; cbn [N V P Z.eqb]; [ring|ring|].
    intros. rewrite split_digit, div_of_div, (Z.mul_comm (V l)) by lia. ring.
  - assert (1 <= a * e) by (apply positive_product; lia).
    assert (Ee : e =? 0 = false) by (apply Z.eqb_neq; lia). assert (Ea : a * e =? 0 = false) by (apply Z.eqb_neq; lia).
    split; [|split]; cbn [N V P]; rewrite ?Ee, ?Ea; [ring|ring|].
    intros. rewrite split_digit, div_of_div, (Z.mul_comm e) by lia. ring.
Qed.

Lemma merge_keeps x l : valid (x :: l) -> valid (merge x l) /\ agree (merge x l) (x :: l).
Proof.
  destruct x as [s d], l as [|[a e] q]; cbn [merge]; intro H; [split; [exact H|repeat split]|].
  pose proof H as H'. apply valid_cons in H'; destruct H' as (Hs & Hd & H'). pose proof H' as Hl.
  apply valid_cons in H'; destruct H' as (Ha & He & Hq).
  destruct (Z.eqb_spec s 1) as [->|_].
  { split; [exact Hl|]. destruct (unit_leaf d ((a, e) :: q)) as (A & B & C). repeat split; auto. }
  destruct (Z.eqb_spec a 1) as [->|_].
  { split; [apply valid_cons; auto|]. destruct (agree_cons (s, d) _ _ (unit_leaf e q)) as (A & B & C).
    repeat split; auto. }
  destruct (Z.eqb_spec (a * e) d) as [<-|_]; [|split; [exact H|repeat split]].
  split; [apply valid_cons; pose proof (positive_product s a Hs Ha); auto|].
  destruct (split_leaf s a e q Hq Hs Ha He) as (A & B & C). repeat split; auto.
Qed.

Lemma coalesce_keeps l : valid l -> valid (coalesce l) /\ agree (coalesce l) l.
Proof.
  intro H. leaves l H; cbn [coalesce]; [repeat split; exact H|]. destruct IH as (Hv & Ha).
  destruct (merge_keeps (s, d) (coalesce r)) as (Hm & A & B & C); [apply valid_cons; auto|].
  destruct (agree_cons (s, d) _ _ Ha) as (A' & B' & C'). split; [exact Hm|].
  split; [|split]; [congruence|congruence|]. intros. rewrite C, C'. reflexivity.
Qed.

Theorem coalesce_sound : coalesce_statement.
Proof. intros l t k H. destruct (coalesce_keeps l H) as (Hv & A & B & C). auto. Qed.

Theorem shape_cast : shape_cast_statement.
Proof.
  intros a b t k Ha Hb Eq.
  destruct (coalesce_keeps a Ha) as (_ & A & B & C), (coalesce_keeps b Hb) as (_ & A' & B' & C').
  split; [|split]; [congruence|congruence|]. rewrite <- C, <- C', Eq. reflexivity.
Qed.

Lemma append_agree h a b t k : valid h -> valid a -> valid b -> agree a b -> P (h ++ a) t k = P (h ++ b) t k.
Proof.
  intros Hh Ha Hb (HN & HV & HP).
  destruct (append h a t k Hh Ha) as (_ & _ & ->), (append h b t k Hh Hb) as (_ & _ & ->).
  rewrite HN, HV, HP. reflexivity.
Qed.

Theorem reshape : reshape_statement.
Proof.
  intros h l s a e d t k Hh Hl Hs Ha He Hd.
  assert (0 <= a * e) by (apply Z.mul_nonneg_nonneg; lia). pose proof (positive_product s a Hs Ha).
  split; apply append_agree; auto using split_leaf, unit_leaf;
    repeat (apply valid_cons; split; [lia|split; [lia|]]); exact Hl.
Qed.

(* ---- The pack map as a function ---- *)

Lemma merge_map x l i : valid (x :: l) -> E (merge x l) i = E (x :: l) i.
Proof.
  destruct x as [s d], l as [|[a e] q]; cbn [merge]; intro H; [reflexivity|].
  apply valid_cons in H; destruct H as (Hs & Hd & H). apply valid_cons in H; destruct H as (Ha & He & Hq).
  pose proof (N_pos q Hq) as Nq.
  destruct (Z.eqb_spec s 1) as [->|_]; [cbn [E]; rewrite Z.mod_1_r; ring|].
  destruct (Z.eqb_spec a 1) as [->|_]; [cbn [E N]; rewrite Z.mod_1_r, Z.mul_1_l; ring|].
  destruct (Z.eqb_spec (a * e) d) as [<-|_]; [|reflexivity].
  cbn [E N]. rewrite split_digit, div_of_div, (Z.mul_comm (N q)) by lia. ring.
Qed.

Theorem coalesce_map : coalesce_map_statement.
Proof.
  intros l i H. leaves l H; cbn [coalesce]; [reflexivity|].
  destruct (coalesce_keeps r H) as (Hv & HN & _ & _).
  rewrite merge_map by (apply valid_cons; auto). cbn [E]. rewrite HN, IH. reflexivity.
Qed.

Lemma N_identity shape : N (identity_map shape) = prod shape.
Proof. induction shape as [|s r IH]; cbn [identity_map N prod]; [|rewrite IH]; reflexivity. Qed.

Theorem identity : identity_statement.
Proof.
  intros shape i H. induction H as [|s r Hs _ [IH1 IH2]]; cbn [identity_map E prod]; [rewrite Z.mod_1_r; lia|].
  split; [apply positive_product; assumption|]. rewrite IH2, N_identity, split_digit by lia. reflexivity.
Qed.

(* ---- Modes ---- *)

Theorem transpose : transpose_statement.
Proof.
  intros p z t. unfold coords, permute. rewrite map_map. apply map_ext. intro i.
  exact (eq_sym (map_nth (fun m => P (fst m) t (snd m)) z ([], 0) i)).
Qed.

Lemma coalesce_modes_sound z t : valid_modes z -> coords (coalesce_modes z) t = coords z t.
Proof.
  unfold coords, coalesce_modes. intro H. rewrite map_map. apply map_ext_in. intros [m w] Hin. cbn [fst snd].
  unfold valid_modes in H. rewrite Forall_forall in H. apply coalesce_sound. exact (H _ Hin).
Qed.

Theorem transpose_given : transpose_given_statement.
Proof.
  intros p z b t Hb Hz Eq.
  rewrite <- transpose, <- (coalesce_modes_sound b), <- (coalesce_modes_sound (permute _ p z)), Eq by assumption.
  reflexivity.
Qed.

Theorem broadcast : broadcast_statement.
Proof. intros n z t. unfold coords. symmetry. apply skipn_map. Qed.

Theorem broadcast_flat : broadcast_flat_statement.
Proof.
  intros h l t k Hh Hl. rewrite wrapped by exact Hl. destruct (append h l t k Hh Hl) as (_ & _ & ->).
  rewrite Z.add_comm, (Z.mul_comm _ (N l)), remainder; [reflexivity|apply inside; exact Hl].
Qed.

Theorem stretched : stretched_statement.
Proof.
  intro u. induction u as [|b u IH]; intros [|m z] t; try reflexivity. cbn [unit_at zero_at coords map].
  unfold coords in IH. rewrite IH. destruct b; reflexivity.
Qed.

Theorem fixed_mode : fixed_mode_statement.
Proof.
  intros l t k j H. induction H as [|[s d] r Hx _ IH]; cbn [P fst snd] in *; [reflexivity|]. rewrite IH.
  destruct (Z.eqb_spec d 0); [|reflexivity]. destruct Hx as [Hx| ->]; [contradiction|]. rewrite !Z.mod_1_r. reflexivity.
Qed.

Theorem clipped : clipped_statement.
Proof.
  intro extents. induction extents as [|e r IH]; intros [|c q] H; try reflexivity. destruct H as [Hc Hq].
  cbn [clip]. rewrite IH by exact Hq. destruct (Z.eqb_spec e 1); [f_equal; lia|reflexivity].
Qed.

(* ---- step ---- *)

Lemma horner_position l : forall a t k, horner l a t + values l k = a * N l + P l t k.
Proof.
  induction l as [|[s d] r IH]; intros a t k; cbn [horner values N P]; [ring|].
  destruct (d =? 0); [specialize (IH (a * s + 0) t k)|specialize (IH (a * s + (t / d) mod s) t k)]; lia.
Qed.

Theorem step : step_statement.
Proof. intros l t k. rewrite horner_position. ring. Qed.

(* ---- Thread digits ---- *)

Theorem strides : strides_statement.
Proof.
  intros l a t H. revert a.
  induction H as [|x r [Hg Hs] _ IH]; intros a Ha; cbn [delinearize digits_at]; [reflexivity|].
  pose proof (positive_product _ _ Ha Hg) as Hag. pose proof (positive_product _ _ Hg Hs) as Hgs.
  rewrite !div_of_div, <- IH by (try apply positive_product; assumption). rewrite Z.mul_assoc. reflexivity.
Qed.

Theorem weights : weights_statement.
Proof. intros l. induction l as [|x r IH]; intros a h; cbn [strided thread]; [|rewrite IH]; ring. Qed.

Theorem decode : decode_statement.
Proof.
  intros l h H. induction H as [|x r [Hq Hc] _ IH]; cbn [delinearize thread map]; [reflexivity|].
  rewrite <- div_of_div, !quotient, remainder, IH by lia. reflexivity.
Qed.

Theorem extent_bound : extent_statement.
Proof.
  intros l H. induction H as [|x r [Hq Hc] _ IH]; cbn [thread end_of]; [lia|].
  pose proof (row_major _ _ _ _ IH Hc) as Inner. pose proof (row_major _ _ _ _ Inner Hq) as Outer.
  replace (replica x + _) with ((thread r 0 * extent x + digit x) * gap x + replica x) by ring.
  replace (gap x * extent x * end_of r) with (end_of r * extent x * gap x) by ring. exact Outer.
Qed.

Theorem injective : injective_statement.
Proof.
  intros a b h j Ha Hb Same. revert Ha Hb. induction Same as [|x y r q [Hg Hs] _ IH]; intros Ha Hb Eq; [auto|].
  apply Forall_cons_iff in Ha, Hb. destruct Ha as [[Xq Xc] Ha], Hb as [[Yq Yc] Hb].
  cbn [thread map] in *. rewrite <- Hg in Yq. rewrite <- Hs in Yc. rewrite <- Hg, <- Hs in Eq.
  assert (Inner : digit x + extent x * thread r h = digit y + extent x * thread q j)
    by (rewrite <- (quotient _ _ _ Xq), Eq; apply quotient; exact Yq).
  assert (Hd : digit x = digit y) by (rewrite <- (remainder _ _ (thread r h) Xc), Inner; apply remainder; exact Yc).
  assert (Eh : thread r h = thread q j) by (rewrite <- (quotient _ _ _ Xc), Inner; apply quotient; exact Yc).
  destruct (IH Ha Hb Eh) as [-> ->]. rewrite Hd. auto.
Qed.

Theorem totality : totality_statement.
Proof.
  intros l t H. revert t. induction H as [|x r [Hg Hs] _ IH]; intro t; cbn [read rest thread map delinearize]; [auto|].
  destruct (IH (t / (gap x * extent x))) as (A & B & C). cbn [gap extent replica digit]. rewrite A, C.
  split; [|split; [|reflexivity]].
  - pose proof (division t (gap x) Hg) as Dt. pose proof (division (t / gap x) (extent x) Hs) as Dq.
    rewrite <- div_of_div by assumption. rewrite Z.add_comm in Dq. rewrite <- Dq. lia.
  - apply Forall_cons; [|exact B]. split; cbn [gap extent replica digit]; apply Z.mod_pos_bound; lia.
Qed.
