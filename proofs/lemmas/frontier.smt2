; One cell more reaches less than the next stride.
; frontier: unsat iff it follows
(set-logic ALL)
(declare-fun c () Int)
(declare-fun g () Int)
(declare-fun h () Int)
(declare-fun n () Int)
(declare-fun q () Int)
(declare-fun s () Int)
; premise
(assert (and (and (<= 0 q) (< q g)) (and (<= 0 c) (< c s)) (and (<= 0 h) (< h n))))
; bound(c=h, n=s, p=c, s=n)
(assert (=> (and (and (<= 0 h) (< h n)) (and (<= 0 c) (< c s))) (and (<= 0 (+ (* h s) c)) (< (+ (* h s) c) (* n s)))))
; bound(c=h * s + c, n=g, p=q, s=n * s)
(assert (=> (and (and (<= 0 (+ (* h s) c)) (< (+ (* h s) c) (* n s))) (and (<= 0 q) (< q g))) (and (<= 0 (+ (* (+ (* h s) c) g) q)) (< (+ (* (+ (* h s) c) g) q) (* (* n s) g)))))
; not the conclusion
(assert (not (and (<= 0 (+ q (* g (+ c (* s h))))) (< (+ q (* g (+ c (* s h)))) (* (* g s) n)))))
(check-sat)
