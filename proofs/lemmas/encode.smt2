; A number is its gap digit, its leaf digit and the rest.
; encode: unsat iff it follows
(set-logic ALL)
(declare-fun quotient (Int Int) Int)
(declare-fun remainder (Int Int) Int)
(declare-fun g () Int)
(declare-fun s () Int)
(declare-fun t () Int)
; premise
(assert (and (>= g 1) (>= s 1)))
; division(x=t, m=g)
(assert (=> (>= g 1) (and (= t (+ (* (quotient t g) g) (remainder t g))) (and (<= 0 (remainder t g)) (< (remainder t g) g)))))
; division(x=t // g, m=s)
(assert (=> (>= s 1) (and (= (quotient t g) (+ (* (quotient (quotient t g) s) s) (remainder (quotient t g) s))) (and (<= 0 (remainder (quotient t g) s)) (< (remainder (quotient t g) s) s)))))
; div_of_div(t=t, d=g, w=s)
(assert (=> (and (>= g 1) (>= s 1)) (= (quotient (quotient t g) s) (quotient t (* g s)))))
; merge_position(x=t // g, c=t // (g * s), a=s, b=(t // g) % s, n=g, p=t % g)
(assert (=> (= (quotient t g) (+ (* (quotient t (* g s)) s) (remainder (quotient t g) s))) (= (+ (* (quotient t g) g) (remainder t g)) (+ (* (quotient t (* g s)) (* s g)) (+ (* (remainder (quotient t g) s) g) (remainder t g))))))
; not the conclusion
(assert (not (= t (+ (remainder t g) (* g (+ (remainder (quotient t g) s) (* s (quotient t (* g s)))))))))
(check-sat)
