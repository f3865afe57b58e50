(* What each theorem assumes. Every answer has to be "Closed under the global context". *)

Require Import Proofs.

Print Assumptions append.
Print Assumptions inside_and_wrapped.
Print Assumptions coalesce_sound.
Print Assumptions coalesce_map.
Print Assumptions identity.
Print Assumptions shape_cast.
Print Assumptions reshape.
Print Assumptions transpose.
Print Assumptions transpose_given.
Print Assumptions broadcast.
Print Assumptions broadcast_flat.
Print Assumptions stretched.
Print Assumptions fixed_mode.
Print Assumptions clipped.
Print Assumptions step.
Print Assumptions strides.
Print Assumptions weights.
Print Assumptions decode.
Print Assumptions extent_bound.
Print Assumptions injective.
Print Assumptions totality.
