; Peeling one cell: gap digit q, then leaf digit c, over the rest h.
; decode_cell: unsat iff it follows
(set-logic ALL)
(declare-fun quotient (Int Int) Int)
(declare-fun remainder (Int Int) Int)
(declare-fun c () Int)
(declare-fun g () Int)
(declare-fun h () Int)
(declare-fun q () Int)
(declare-fun s () Int)
; premise
(assert (and (and (<= 0 q) (< q g)) (and (<= 0 c) (< c s))))
; divmod(x=c + s * h, y=q, m=g)
(assert (=> (and (<= 0 q) (< q g)) (and (= (quotient (+ (* (+ c (* s h)) g) q) g) (+ c (* s h))) (= (remainder (+ (* (+ c (* s h)) g) q) g) q))))
; divmod(x=h, y=c, m=s)
(assert (=> (and (<= 0 c) (< c s)) (and (= (quotient (+ (* h s) c) s) h) (= (remainder (+ (* h s) c) s) c))))
; div_of_div(t=q + g * (c + s * h), d=g, w=s)
(assert (=> (and (>= g 1) (>= s 1)) (= (quotient (quotient (+ q (* g (+ c (* s h)))) g) s) (quotient (+ q (* g (+ c (* s h)))) (* g s)))))
; not the conclusion
(assert (not (and (= (remainder (quotient (+ q (* g (+ c (* s h)))) g) s) c) (= (quotient (+ q (* g (+ c (* s h)))) (* g s)) h))))
(check-sat)
