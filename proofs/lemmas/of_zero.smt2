; 0 divided by anything is 0, with remainder 0.
; of_zero: unsat iff it follows
(set-logic ALL)
(declare-fun quotient (Int Int) Int)
(declare-fun remainder (Int Int) Int)
(declare-fun m () Int)
; premise
(assert (>= m 1))
; divmod(x=0, y=0, m=m)
(assert (=> (and (<= 0 0) (< 0 m)) (and (= (quotient (+ (* 0 m) 0) m) 0) (= (remainder (+ (* 0 m) 0) m) 0))))
; not the conclusion
(assert (not (and (= (quotient 0 m) 0) (= (remainder 0 m) 0))))
(check-sat)
