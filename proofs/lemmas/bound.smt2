; Row-major: a digit below s over a rest below n is below s*n.
; bound: unsat iff it follows
(set-logic ALL)
(declare-fun c () Int)
(declare-fun n () Int)
(declare-fun p () Int)
(declare-fun s () Int)
; premise
(assert (and (and (<= 0 c) (< c s)) (and (<= 0 p) (< p n))))
; not the conclusion
(assert (not (and (<= 0 (+ (* c n) p)) (< (+ (* c n) p) (* s n)))))
(check-sat)
