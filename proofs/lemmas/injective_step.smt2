; a + d*c with 0 <= a < d determines the digit c and the rest a.
; injective_step: unsat iff it follows
(set-logic ALL)
(declare-fun a () Int)
(declare-fun b () Int)
(declare-fun c () Int)
(declare-fun d () Int)
(declare-fun z () Int)
; premise
(assert (and (and (<= 0 a) (< a d)) (and (<= 0 z) (< z d)) (= (+ a (* d c)) (+ z (* d b)))))
; not the conclusion
(assert (not (and (= c b) (= a z))))
(check-sat)
