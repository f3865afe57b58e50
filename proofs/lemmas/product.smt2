; A product of positive numbers is positive.
; product: unsat iff it follows
(set-logic ALL)
(declare-fun x () Int)
(declare-fun y () Int)
; premise
(assert (and (>= x 1) (>= y 1)))
; not the conclusion
(assert (not (>= (* x y) 1)))
(check-sat)
