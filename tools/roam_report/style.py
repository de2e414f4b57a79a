# SPDX-License-Identifier: Apache-2.0
"""The page's style sheet. Busy, overhead, idle and moved have one colour each, everywhere;
they stay apart for colour-blind readers by hue (blue, orange, grey, green) and by lightness."""

_LIGHT = """--page:#fff;--card:#f5f7f9;--ink:#171a1f;--muted:#59616b;--grid:#e2e6ea;--rule:#c3cad1;
--busy:#1f6fb2;--moved:#35b597;--overhead:#e07b1f;--idle:#dde2e7;--left:#8d97a3;
--on-busy:#fff;--on-idle:#3a4149;--accent:#1a5f9a;--critical:#c8372d;--victim:#1d8a5c"""
_DARK = """--page:#12151a;--card:#1b2027;--ink:#e7eaee;--muted:#a0a9b4;--grid:#2a3039;--rule:#454d58;
--busy:#4596dc;--moved:#5fd3b5;--overhead:#f0923d;--idle:#2c333d;--left:#7d8794;
--on-busy:#08131d;--on-idle:#c6cdd6;--accent:#7ab8ee;--critical:#f0766c;--victim:#52c795"""

STYLE = (
    ":root{color-scheme:light dark;" + _LIGHT + "}\n"
    "@media screen and (prefers-color-scheme:dark){:root{" + _DARK + "}}\n" + """
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
 font:16px/1.55 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1080px;margin:0 auto;padding:40px 24px 64px}
h1{font-size:15px;font-weight:600;margin:0;color:var(--muted)}
.claim{font-size:34px;line-height:1.2;font-weight:680;letter-spacing:-.015em;margin:6px 0 10px;
 text-wrap:balance}
.setting{color:var(--muted);margin:0}
h2{font-size:21px;letter-spacing:-.01em;margin:52px 0 14px;padding-top:18px;
 border-top:1px solid var(--grid)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:14px;
 margin:28px 0 0}
.tile{background:var(--card);border-radius:10px;padding:14px 18px}
.tile b{display:block;font-size:25px;line-height:1.25;font-weight:650;letter-spacing:-.01em;
 font-variant-numeric:tabular-nums}
.tile i{font-style:normal;color:var(--muted);font-weight:450}
.tile span{color:var(--muted);font-size:14px}
.pair{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(420px,100%),1fr));gap:28px;
 align-items:start}
.beside{display:grid;grid-template-columns:minmax(min-content,1.2fr) minmax(300px,1fr);gap:28px;
 align-items:start}
.beside>*{min-width:0}
figure{margin:0 0 20px;break-inside:avoid}
figcaption,.note,.notes{color:var(--muted);font-size:15px;max-width:76ch;margin:8px 0}
figcaption b{color:var(--ink)}
img{display:block;width:100%;height:auto;max-height:520px;object-fit:contain;border-radius:10px;
 background:#fff}
.scroll{overflow-x:auto}
.out{width:max-content;min-width:100%;max-width:calc(100vw - 64px);margin-left:50%;
 transform:translateX(-50%)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:15px}
th,td{text-align:left;padding:5px 14px 5px 0;border-bottom:1px solid var(--grid);font-weight:400}
thead th{color:var(--muted);font-weight:600;vertical-align:bottom;border-color:var(--rule)}
td:last-child,th:last-child{padding-right:0}
.figures{max-width:640px}
.n{text-align:right}
tr.lead td,tr.lead th{font-weight:650}
tr.first td,tr.first th{border-top:2px solid var(--rule)}
.decisions{font-size:14px}
.decisions td{white-space:nowrap}
.decisions td,.decisions th{padding-right:10px}
.decisions td:last-child{white-space:normal;min-width:15em}
.decisions tr.not td{color:var(--muted)}
.decisions tr.did td:nth-child(10){font-weight:650}
th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
th button:hover{color:var(--accent);text-decoration:underline}
th[aria-sort] button{color:var(--ink)}
th[aria-sort=ascending] button::after{content:" ↑"}
th[aria-sort=descending] button::after{content:" ↓"}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:0 0 12px;padding:0;list-style:none;
 font-size:14px;color:var(--muted)}
.legend svg{width:22px;height:12px;vertical-align:-1px;margin-right:6px;display:inline}
footer{margin-top:56px;padding-top:14px;border-top:1px solid var(--grid);color:var(--muted);
 font-size:14px}
svg{display:block;width:100%;height:auto;overflow:visible;font-family:inherit}
svg.wide{min-width:680px;margin-bottom:14px}
svg text{fill:var(--muted);font-size:12.5px;font-variant-numeric:tabular-nums}
svg text.panel{fill:var(--ink);font-size:15px;font-weight:640}
svg text.on-busy,svg text.on-overhead{fill:var(--on-busy)}
svg text.on-idle{fill:var(--on-idle)}
.busy{fill:var(--busy)}.moved{fill:var(--moved)}.overhead{fill:var(--overhead)}
.idle{fill:var(--idle)}.left,.block{fill:var(--left)}.empty{fill:var(--card)}
.grid{stroke:var(--grid)}.axis{stroke:var(--rule)}
.over-grid{stroke:var(--page);stroke-opacity:.45;stroke-dasharray:1 4}
.gap{stroke:var(--page);stroke-width:1.5}
.makespan{stroke:var(--ink);stroke-width:1.6;stroke-dasharray:7 4}
.ideal{stroke:var(--ink);stroke-width:1.4;stroke-dasharray:1.5 3.5}
.mark,.arrow{stroke:var(--ink);fill:none;stroke-width:1.2}
.arrow{stroke-linejoin:round;stroke-opacity:.85}
.ribbon{fill:none;stroke:var(--moved);stroke-opacity:.55}
.course{fill:none;stroke:var(--busy);stroke-width:1.8;stroke-linejoin:round}
.promise{stroke:var(--overhead);stroke-width:1.2;stroke-dasharray:3 3}
.promised{fill:var(--page);stroke:var(--overhead);stroke-width:1.8}
.expected{fill:none;stroke:var(--muted);stroke-width:1.4;stroke-dasharray:2 3}
.foreseen{fill:var(--page);stroke:var(--muted);stroke-width:1.6}
.envelope{fill:var(--busy);fill-opacity:.4}
.ribbon:hover{stroke-opacity:.85}
.steps input{width:min(420px,60%);vertical-align:middle;accent-color:var(--accent)}
.steps label{display:inline-block;min-width:5.5em}
svg.waits{max-width:760px;margin:0 auto}
.edge{fill:none;stroke-width:1.3}.edge.wait{stroke:var(--critical);stroke-opacity:.75}
.edge.flow{stroke:var(--ink);stroke-opacity:.7}.edge:hover{stroke-width:3}
.head.wait{fill:var(--critical)}.head.flow{fill:var(--ink)}
svg text.weight{font-size:10.5px}svg text.weight.wait{fill:var(--critical)}
svg text.weight.flow{fill:var(--ink)}
.rank{stroke:var(--rule)}.rank.plain{fill:var(--card)}.rank.critical{fill:var(--critical)}
.rank.victim{fill:var(--victim)}.rank.blacklisted{fill:var(--left)}
svg text.on-plain{fill:var(--ink)}svg text.on-critical,svg text.on-victim{fill:var(--on-busy)}
svg text.on-blacklisted{fill:var(--page)}
@media print{main{max-width:none;padding:0}body{font-size:11pt}
 *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
 .scroll{overflow:visible}.out{width:auto;max-width:none;margin:0;transform:none}
 svg.wide{min-width:0}h2{break-after:avoid;margin-top:28px}
 .decisions{font-size:8.5pt}tr{break-inside:avoid}
 .tiles{grid-template-columns:repeat(4,1fr)}.pair{grid-template-columns:1fr 1fr}}
@media (max-width:820px){.beside{grid-template-columns:minmax(0,1fr)}}
@media (max-width:560px){main{padding:24px 16px 40px}.claim{font-size:26px}}
""")
