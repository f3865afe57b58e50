; Leaves (s, a*e), (a, e) decode to the digit of the merged leaf (s*a, e).
; merge_digit: unsat iff it follows
(set-logic ALL)
(declare-fun quotient (Int Int) Int)
(declare-fun remainder (Int Int) Int)
(declare-fun a () Int)
(declare-fun e () Int)
(declare-fun s () Int)
(declare-fun t () Int)
; premise
(assert (and (>= s 1) (>= a 1) (>= e 1)))
; split_digit(t=t // e, s=s, a=a)
(assert (=> (and (>= s 1) (>= a 1)) (= (remainder (quotient t e) (* s a)) (+ (* (remainder (quotient (quotient t e) a) s) a) (remainder (quotient t e) a)))))
; div_of_div(t=t, d=e, w=a)
(assert (=> (and (>= e 1) (>= a 1)) (= (quotient (quotient t e) a) (quotient t (* e a)))))
; not the conclusion
(assert (not (= (remainder (quotient t e) (* s a)) (+ (* (remainder (quotient t (* a e)) s) a) (remainder (quotient t e) a)))))
(check-sat)
