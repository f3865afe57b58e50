; Quotient and remainder of x*m + y are x and y.
; divmod: unsat iff it follows
(set-logic ALL)
(declare-fun quotient (Int Int) Int)
(declare-fun remainder (Int Int) Int)
(declare-fun m () Int)
(declare-fun x () Int)
(declare-fun y () Int)
; premise
(assert (and (<= 0 y) (< y m)))
; division(x=x * m + y, m=m)
(assert (=> (>= m 1) (and (= (+ (* x m) y) (+ (* (quotient (+ (* x m) y) m) m) (remainder (+ (* x m) y) m))) (and (<= 0 (remainder (+ (* x m) y) m)) (< (remainder (+ (* x m) y) m) m)))))
; euclid(x=(x * m + y) // m, y=(x * m + y) % m, u=x, v=y, m=m)
(assert (=> (and (and (<= 0 (remainder (+ (* x m) y) m)) (< (remainder (+ (* x m) y) m) m)) (and (<= 0 y) (< y m)) (= (+ (* (quotient (+ (* x m) y) m) m) (remainder (+ (* x m) y) m)) (+ (* x m) y))) (and (= (quotient (+ (* x m) y) m) x) (= (remainder (+ (* x m) y) m) y))))
; not the conclusion
(assert (not (and (= (quotient (+ (* x m) y) m) x) (= (remainder (+ (* x m) y) m) y))))
(check-sat)
