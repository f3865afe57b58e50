; A flat index beyond s*v has the digits of its remainder.
; wrap_digit: unsat iff it follows
(set-logic ALL)
(declare-fun quotient (Int Int) Int)
(declare-fun remainder (Int Int) Int)
(declare-fun k () Int)
(declare-fun s () Int)
(declare-fun v () Int)
; premise
(assert (and (>= s 1) (>= v 1)))
; split_digit(t=k, s=s, a=v)
(assert (=> (and (>= s 1) (>= v 1)) (= (remainder k (* s v)) (+ (* (remainder (quotient k v) s) v) (remainder k v)))))
; division(x=k, m=v)
(assert (=> (>= v 1) (and (= k (+ (* (quotient k v) v) (remainder k v))) (and (<= 0 (remainder k v)) (< (remainder k v) v)))))
; division(x=k // v, m=s)
(assert (=> (>= s 1) (and (= (quotient k v) (+ (* (quotient (quotient k v) s) s) (remainder (quotient k v) s))) (and (<= 0 (remainder (quotient k v) s)) (< (remainder (quotient k v) s) s)))))
; divmod(x=(k // v) % s, y=k % v, m=v)
(assert (=> (and (<= 0 (remainder k v)) (< (remainder k v) v)) (and (= (quotient (+ (* (remainder (quotient k v) s) v) (remainder k v)) v) (remainder (quotient k v) s)) (= (remainder (+ (* (remainder (quotient k v) s) v) (remainder k v)) v) (remainder k v)))))
; divmod(x=0, y=(k // v) % s, m=s)
(assert (=> (and (<= 0 (remainder (quotient k v) s)) (< (remainder (quotient k v) s) s)) (and (= (quotient (+ (* 0 s) (remainder (quotient k v) s)) s) 0) (= (remainder (+ (* 0 s) (remainder (quotient k v) s)) s) (remainder (quotient k v) s)))))
; not the conclusion
(assert (not (and (= (remainder (quotient (remainder k (* s v)) v) s) (remainder (quotient k v) s)) (= (remainder (remainder k (* s v)) v) (remainder k v)))))
(check-sat)
