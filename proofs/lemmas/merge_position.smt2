; A merged leaf holds the position of its two parts.
; merge_position: unsat iff it follows
(set-logic ALL)
(declare-fun a () Int)
(declare-fun b () Int)
(declare-fun c () Int)
(declare-fun n () Int)
(declare-fun p () Int)
(declare-fun x () Int)
; premise
(assert (= x (+ (* c a) b)))
; not the conclusion
(assert (not (= (+ (* x n) p) (+ (* c (* a n)) (+ (* b n) p)))))
(check-sat)
