; A leaf in front of two lists side by side: size.
; append_size: unsat iff it follows
(set-logic ALL)
(declare-fun m () Int)
(declare-fun n () Int)
(declare-fun s () Int)
(declare-fun w () Int)
; premise
(assert (= w (* n m)))
; not the conclusion
(assert (not (= (* s w) (* (* s n) m))))
(check-sat)
