; Dropping leading modes keeps the position modulo the size of the rest.
; drop_leading: unsat iff it follows
(set-logic ALL)
(declare-fun g () Int)
(declare-fun h () Int)
(declare-fun n () Int)
(declare-fun p () Int)
(declare-fun q () Int)
; premise
(assert (and (and (<= 0 p) (< p n)) (and (<= 0 q) (< q n)) (= (+ (* h n) p) (+ (* g n) q))))
; not the conclusion
(assert (not (= p q)))
(check-sat)
