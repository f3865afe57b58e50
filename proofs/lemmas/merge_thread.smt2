; A merged leaf adds the same to the thread when the outer stride is a*e.
; merge_thread: unsat iff it follows
(set-logic ALL)
(declare-fun a () Int)
(declare-fun b () Int)
(declare-fun c () Int)
(declare-fun d () Int)
(declare-fun e () Int)
(declare-fun t () Int)
(declare-fun x () Int)
; premise
(assert (and (= x (+ (* c a) b)) (= d (* a e))))
; not the conclusion
(assert (not (= (+ (* x e) t) (+ (* c d) (+ (* b e) t)))))
(check-sat)
