; x*m + y with 0 <= y < m determines x and y.
; euclid: unsat iff it follows
(set-logic ALL)
(declare-fun m () Int)
(declare-fun u () Int)
(declare-fun v () Int)
(declare-fun x () Int)
(declare-fun y () Int)
; premise
(assert (and (and (<= 0 y) (< y m)) (and (<= 0 v) (< v m)) (= (+ (* x m) y) (+ (* u m) v))))
; not the conclusion
(assert (not (and (= x u) (= y v))))
(check-sat)
