package report

// elsewhere are Go timers that the module registry in use does not have. Their
// figures were taken with the same workload on another day, and relate to the rows
// of the Go runtime and the plain structures taken with them.
const elsewhere = `## Other Go timers

These could not be fetched for this run, so the figures were **measured elsewhere**:
in the same way (the workload above, one process a measurement, medians) on a 2-core
virtual machine (AMD EPYC, 4 KB pages, Go 1.26), before this file's date. Compare
them with the first and the last rows of this table, which were taken there too, not
with the tables above.

W1 in ns a pair; W2 in ns a timer at 1 M, CPU time where a peer has its own threads;
W3 is the idle tick in ns at 1 M; W4 bytes a timer and ms a collection at 1 M (an
empty heap: 2.6); W5 ns a timer; W6 ms.

| | W1 10 k | 100 k | 1 M | allocs | W2 | W3 | W4 bytes | W4 GC | W5 | W6 max | earliest firing |
|---|---|---|---|---|---|---|---|---|---|---|---|
| Go runtime | 241 | 482 | 750 | 1 | 2,198 | – | 131 | 57 | 93 | 42 | on time |
| antlabs/timer wheel | 150 | 501 | 896 | 1 | 1,884 | 584 k | 96 | 42 | 75 | 2.7 | 6–9 ms early |
| antlabs/timer heap | 387 | 1,620 | 2,154 | 1 | 6,025 | 46 k | 89 | 77 | 311 | 147 | on time |
| RussellLuo/timingwheel | 268 | 837 | 1,512 | 2 | 1,905 | 49 k | 80 | 104 | 127 | 6 | 49 ms early |
| thinkgos/timer | 361 | 867 | 1,275 | 2 | 2,136 | 42 k | 112 | 74 | 182 | 8 | 50 ms early |
| cherry time_wheel | 1,049 | 1,461 | 2,292 | 4 | 858 | 297 k | 214 | 162 | 794 | 14 | 58 ms early |
| go-zero TimingWheel | 3,561 | 4,534 | 6,894 | 4 | 1,204 | 430 k | 220 | 234 | 1,869 | 18 | 50 ms early |
| rfyiamcool/go-timewheel | 454 | 1,112 | 2,246 | 1 | 2,034 | 942 k | 121 | 60 | 549 | 10 | 2 ms early |
| nano scheduler | 611 | 1,009 | 2,261 | 1 | 12,107 | 50 M | 119 | 148 | 834 | 111 | on time |
| leaf timer | 506 | 976 | 1,207 | 3 | 2,498 | 53 k | 170 | 122 | 174 | 41 | on time |
| ouqiang/timewheel (1 s tick) | 9,910 | 142 k | 4 M | 3 | 2,184 | 236 k | 160 | 213 | – | 14 | 8 ms early |
| plain indexed heap | 111 | 280 | 1,122 | 1 | 669 | 79 | 33 | 18 | 109 | 13 | on tick |
| plain hashed wheel, 512 slots | 46 | 250 | 657 | 1 | 169 | 337 k | 32 | 17 | 18 | 0.4 | on tick |
| plain hashed wheel, 16,384 slots | 43 | 256 | 725 | 1 | 172 | 12.6 k | 33 | 23 | 23 | 1.1 | on tick |
`
