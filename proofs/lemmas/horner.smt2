; One step of linearize_index is the sum over data strides.
; horner: unsat iff it follows
(set-logic ALL)
(declare-fun c () Int)
(declare-fun h () Int)
(declare-fun n () Int)
(declare-fun p () Int)
(declare-fun s () Int)
; not the conclusion
(assert (not (= (+ (* (+ (* h s) c) n) p) (+ (* h (* s n)) (+ (* c n) p)))))
(check-sat)
