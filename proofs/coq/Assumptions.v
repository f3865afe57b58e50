(* What the theorems assume, all together. The answer has to be "Closed under the global context". *)

Require Import Proofs.

Definition all :=
  (append, inside_and_wrapped, coalesce_sound, coalesce_map, identity, shape_cast, reshape,
   transpose, transpose_given, broadcast, broadcast_flat, stretched, fixed_mode, clipped, step, strides, weights,
   decode, extent_bound, injective, totality).
Print Assumptions all.
