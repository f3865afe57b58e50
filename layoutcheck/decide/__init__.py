"""Engines that decide claims, and the portfolio that is their only caller."""
