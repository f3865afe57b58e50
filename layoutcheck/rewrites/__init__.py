"""IREE's distribution rewrites: what each must do, when it does, and a check of any given instance."""
