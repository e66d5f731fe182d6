import { createHash } from 'node:crypto'

/** Every page carries its style, so that it can be opened alone; nothing else may style it. */
export const style = `
:root{color-scheme:light dark;--paper:#faf8f3;--card:#fffefb;--ink:#24211c;--soft:#645d52;--line:#e2dbcd;--accent:#0b5a60;--mark:#eef3f0;
--serif:ui-serif,"Iowan Old Style","Palatino Linotype",Palatino,Charter,"Bitstream Charter",Georgia,serif;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif}
@media (prefers-color-scheme:dark){:root{--paper:#171613;--card:#1f1d1a;--ink:#ece6da;--soft:#b0a798;--line:#3a362e;--accent:#8ccfcc;--mark:#23302e}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 var(--sans);font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:3.5rem}
main{padding-bottom:3rem}
h1,h2,h3{font-family:var(--serif);font-weight:600;line-height:1.2;text-wrap:balance;margin:0}
h1{font-size:clamp(2rem,1.5rem + 2.4vw,2.9rem);letter-spacing:-.015em}
h2{font-size:1.5rem;margin-top:3rem}
h3{font-size:1.15rem}
p{margin:.6rem 0;max-width:42rem}
a{color:var(--accent);text-decoration-thickness:.06em;text-underline-offset:.2em}
a:hover{text-decoration-thickness:.12em}
:focus-visible{outline:.15rem solid var(--accent);outline-offset:.15rem;border-radius:.15rem}
.skip{position:absolute;inset-inline-start:-99rem}
.skip:focus{inset-inline-start:1rem;top:1rem;background:var(--card);padding:.5rem 1rem}
.lead{font:1.2rem/1.55 var(--serif);margin-top:1.1rem}
.soft,.none{color:var(--soft)}
.none{font-style:italic}
.trail{color:var(--soft);font-size:.95rem;margin-bottom:1rem}
.trail ol{list-style:none;display:flex;flex-wrap:wrap;gap:0 .55rem;margin:0;padding:0}
.trail li+li:before{content:"/";margin-inline-end:.55rem;color:var(--soft)}
.facts{display:flex;flex-wrap:wrap;gap:.9rem 2.75rem;margin:1.9rem 0 0;padding:1.1rem 0 0;border-top:1px solid var(--line)}
.facts>div{min-width:0}
dl{margin:0}
dt{color:var(--soft);font-size:.9rem}
dd{margin:0;white-space:pre-wrap}
.ledger{list-style:none;margin:1.25rem 0 0;padding:0;border-top:1px solid var(--line)}
.ledger>li{padding:1.05rem 0;border-bottom:1px solid var(--line);break-inside:avoid}
.entry{display:flex;align-items:baseline;gap:.75rem}
.entry h3{min-width:0}
.entry:after{content:"";order:1;flex:1;min-width:1rem;border-bottom:.1rem dotted var(--line)}
.entry .count{order:2;white-space:nowrap}
.ledger p{margin:.3rem 0 0}
.uses{list-style:none;margin:.3rem 0 0;padding:0;color:var(--soft);max-width:42rem}
.uses b{color:var(--ink);font-weight:500}
.wide{overflow-x:auto;margin:1.25rem 0 0}
table{border-collapse:collapse;width:100%;font-size:.95rem}
caption{text-align:start;color:var(--soft);font-size:.9rem;padding-bottom:.5rem}
th,td{text-align:start;vertical-align:top;padding:.6rem 0;padding-inline-end:.9rem;border-bottom:1px solid var(--line);overflow-wrap:break-word}
th{font-weight:500}
thead th{color:var(--soft);font-size:.9rem;border-bottom-color:var(--soft)}
td{white-space:pre-wrap}
.record{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1.1rem 1.35rem .85rem;margin:1.1rem 0 0}
.record h3{font:500 .9rem/1.5 var(--sans);color:var(--soft);padding-bottom:.55rem}
.record dl>div{display:grid;align-items:baseline;grid-template-columns:minmax(7rem,12rem) minmax(0,1fr);gap:.2rem 1.25rem;padding:.4rem 0;border-top:1px solid var(--line)}
.record>dl:first-child>div:first-child,.record dd dl>div:first-child{border-top:0;padding-top:0}
.record dd dl>div{grid-template-columns:minmax(5rem,9rem) minmax(0,1fr)}
dd ul,dd ol,td ul{margin:0;padding-inline-start:1.2rem}
dd>ol>li+li{margin-top:.75rem}
.long{max-height:20rem;overflow:auto;padding:.6rem .8rem;background:var(--mark);border-radius:.3rem;font-size:.95rem}
.pages{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem;margin:1.5rem 0 0}
.pages a,.pages b,.pages span{min-width:2.75rem;min-height:2.75rem;padding:.3rem .75rem;display:inline-flex;align-items:center;justify-content:center;border-radius:.4rem}
.pages a{border:1px solid var(--line);background:var(--card);text-decoration:none}
.pages a:hover{border-color:var(--accent)}
.pages b{background:var(--accent);color:var(--paper);font-weight:600}
.pages span{min-width:0;padding:.3rem .15rem;color:var(--soft)}
footer{padding-top:1.5rem;padding-bottom:3.5rem;color:var(--soft);font-size:.95rem}
footer:before{content:"";display:block;border-top:1px solid var(--line);margin-bottom:1rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:40rem){
header,main,footer{padding-left:1.1rem;padding-right:1.1rem}
header{padding-top:2rem}
h2{margin-top:2.25rem}
.facts{gap:.75rem 2rem}
.record{padding:.9rem 1rem .6rem}
.record dl>div,.record dd dl>div{grid-template-columns:minmax(0,1fr);gap:0}
.record dd dl{border-inline-start:.15rem solid var(--line);padding-inline-start:.8rem;margin-top:.3rem}
table,tbody,tr,td,tbody th,caption{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem 1rem;margin-top:.75rem}
td,tbody th{display:grid;align-items:baseline;overflow-wrap:anywhere;grid-template-columns:minmax(5.5rem,36%) minmax(0,1fr);gap:.75rem;border:0;padding:.25rem 0}
td:before,tbody th:before{content:attr(data-field);color:var(--soft);font-weight:400;font-size:.9rem;white-space:normal}
.words tbody tr{background:none;border-width:0 0 1px;border-radius:0;padding:.7rem 0;margin:0}
.words td,.words tbody th{display:block;padding:0}
.words tbody th{font-weight:600}
.words td:before,.words tbody th:before{content:none}
.words .soft{font-size:.9rem}
.words td:has(.none){display:none}
}
@media print{
:root{color-scheme:light;--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--accent:#000;--mark:#fff}
@page{margin:18mm 16mm}
body{font-size:10pt}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
header{padding-top:0}
.skip,.pages{display:none}
a{text-decoration:none}
h2,h3,.record h3,section>p{break-after:avoid}
table{font-size:9pt}
.record{border-radius:0}
.record dl>div,tr{break-inside:avoid}
thead{display:table-header-group}
.long{max-height:none;overflow:visible;padding:0}
}
`

/**
 * No script, no request, no style but the page's own: a value cannot become anything else, even if a browser misread
 * the page.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
