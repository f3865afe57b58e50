; Exchanging adjacent modes x and y: row-major of the exchanged coordinates.
; swap_modes: unsat iff it follows
(set-logic ALL)
(declare-fun a () Int)
(declare-fun b () Int)
(declare-fun c () Int)
(declare-fun h () Int)
(declare-fun x () Int)
(declare-fun y () Int)
(declare-fun z () Int)
; not the conclusion
(assert (not (= (+ (* (+ (* (+ (* h b) y) a) x) c) z) (+ (* h (* b (* a c))) (+ (* y (* a c)) (+ (* x c) z))))))
(check-sat)
