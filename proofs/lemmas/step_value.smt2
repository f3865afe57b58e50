; A value leaf adds to the offset, a thread leaf to the thread part: the sum is the position.
; step_value: unsat iff it follows
(set-logic ALL)
(declare-fun c () Int)
(declare-fun n () Int)
(declare-fun p () Int)
(declare-fun t () Int)
(declare-fun v () Int)
; premise
(assert (= (+ v t) p))
; not the conclusion
(assert (not (and (= (+ (+ (* c n) v) t) (+ (* c n) p)) (= (+ v (+ (* c n) t)) (+ (* c n) p)))))
(check-sat)
