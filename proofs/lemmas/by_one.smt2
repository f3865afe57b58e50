; Dividing by 1 leaves the number and no remainder.
; by_one: unsat iff it follows
(set-logic ALL)
(declare-fun quotient (Int Int) Int)
(declare-fun remainder (Int Int) Int)
(declare-fun x () Int)
; division(x=x, m=1)
(assert (=> (>= 1 1) (and (= x (+ (* (quotient x 1) 1) (remainder x 1))) (and (<= 0 (remainder x 1)) (< (remainder x 1) 1)))))
; not the conclusion
(assert (not (and (= (quotient x 1) x) (= (remainder x 1) 0))))
(check-sat)
