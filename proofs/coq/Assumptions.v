(* What the theorems assume, all together. The answer has to be "Closed under the global context".
   Each is named with its statement, and nothing is imported: Proofs.v cannot give these names another meaning. *)

Require Statements Proofs.

Definition all := (
  Proofs.append : Statements.append_statement,
  Proofs.inside_and_wrapped : Statements.inside_statement,
  Proofs.coalesce_sound : Statements.coalesce_statement,
  Proofs.shape_cast : Statements.shape_cast_statement,
  Proofs.reshape : Statements.reshape_statement,
  Proofs.coalesce_map : Statements.coalesce_map_statement,
  Proofs.identity : Statements.identity_statement,
  Proofs.transpose : Statements.transpose_statement,
  Proofs.transpose_given : Statements.transpose_given_statement,
  Proofs.broadcast : Statements.broadcast_statement,
  Proofs.broadcast_flat : Statements.broadcast_flat_statement,
  Proofs.stretched : Statements.stretched_statement,
  Proofs.fixed_mode : Statements.fixed_mode_statement,
  Proofs.clipped : Statements.clipped_statement,
  Proofs.step : Statements.step_statement,
  Proofs.strides : Statements.strides_statement,
  Proofs.weights : Statements.weights_statement,
  Proofs.decode : Statements.decode_statement,
  Proofs.extent_bound : Statements.extent_statement,
  Proofs.injective : Statements.injective_statement,
  Proofs.totality : Statements.totality_statement).
Print Assumptions all.
