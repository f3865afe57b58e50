; Quotient and remainder: what // and % are.
; division: unsat iff it follows
(set-logic ALL)
(declare-fun m () Int)
(declare-fun x () Int)
; premise
(assert (>= m 1))
; not the conclusion
(assert (not (and (= x (+ (* (div x m) m) (mod x m))) (and (<= 0 (mod x m)) (< (mod x m) m)))))
(check-sat)
