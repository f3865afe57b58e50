; A leaf in front of two lists side by side: position.
; append_position: unsat iff it follows
(set-logic ALL)
(declare-fun c () Int)
(declare-fun m () Int)
(declare-fun n () Int)
(declare-fun p () Int)
(declare-fun q () Int)
(declare-fun w () Int)
; premise
(assert (= w (+ (* p m) q)))
; not the conclusion
(assert (not (= (+ (* c (* n m)) w) (+ (* (+ (* c n) p) m) q))))
(check-sat)
