import { panelStyle } from './panel-style.js'

const light = `color-scheme:light;--paper:#faf8f3;--card:#fffefb;--ink:#24211c;--soft:#645d52;--line:#e2dbcd;--line-strong:#b8ae9c;--wire:#b3a995;
--accent:#0b5a60;--on-accent:#faf8f3;--mark:#e6efec;--panel:#f3efe6;--system:#dcedea;--system-edge:#2b7a80;--dataset:#faeac9;--dataset-edge:#b98a35;--category:#e9e2f7;--category-edge:#8b7bc0;
--deleted:#b3261e;--masked:#b25b00;--kept:#2e6b34;--open:#6a4fa3;--faint:#b8ae9c`

const dark = `color-scheme:dark;--paper:#171613;--card:#211f1b;--ink:#ece6da;--soft:#b0a798;--line:#3a362e;--line-strong:#6d6556;--wire:#6d6556;
--accent:#8ccfcc;--on-accent:#171613;--mark:#23302e;--panel:#1e1c18;--system:#1b3233;--system-edge:#5aa9a8;--dataset:#3a2f17;--dataset-edge:#b9924c;--category:#2d2742;--category-edge:#8f80c4;
--deleted:#f28b82;--masked:#f0a35e;--kept:#81c784;--open:#b7a3ec;--faint:#6d6556`

/** The whole style of a page. Everything else on the page follows from its colours, the picture as well. */
export const pageStyle = `
:root{${light};
--serif:ui-serif,"Iowan Old Style","Palatino Linotype",Palatino,Charter,"Bitstream Charter",Georgia,serif;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}
:root[data-theme=dark]{${dark}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;height:100%}
body{margin:0;height:100%;display:grid;grid-template-rows:auto minmax(0,1fr);background:var(--paper);color:var(--ink);font:.95rem/1.5 var(--sans);font-variant-numeric:tabular-nums;overflow-wrap:anywhere;overflow:hidden}
h1,h2,h3,h4,p,ul,dl,dd{margin:0;padding:0}
ul{list-style:none}
h1{font:600 1.45rem/1.2 var(--serif);letter-spacing:-.01em}
button,input,select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line-strong);border-radius:.45rem;padding:.4rem .7rem;min-height:2.25rem;max-width:100%}
button{cursor:pointer}
button:hover,select:hover{border-color:var(--accent)}
button[aria-pressed=true]{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
input::placeholder{color:var(--soft);opacity:1}
:focus-visible{outline:.15rem solid var(--accent);outline-offset:.12rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.small{display:none}
#top{display:flex;align-items:center;gap:.75rem 1.25rem;padding:.8rem 1.25rem;border-bottom:1px solid var(--line)}
#name{flex:1 1 15rem;min-width:0}
#name p{color:var(--soft);font-size:.9rem}
#find,#filters{display:flex;align-items:center;gap:.5rem;min-width:0}
#find{flex:0 1 auto}
#query{width:14rem}
#filters select{width:10.5rem}
main{display:grid;grid-template-columns:18.5rem minmax(0,1fr) auto;min-height:0}
#picture{position:relative;min-width:0;min-height:0;overflow:hidden}
#graph{position:absolute;inset:0}
#graph:focus-visible{outline-offset:-.2rem}
#graph.pointing{cursor:pointer}
#status{position:absolute;inset-inline-start:1rem;top:.75rem;color:var(--soft);font-size:.85rem;background:var(--paper);border-radius:.3rem;padding:0 .35rem;pointer-events:none}
#everything{position:absolute;top:.6rem;left:50%;transform:translateX(-50%);background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
#tools{position:absolute;inset-inline-end:1rem;bottom:1rem;display:flex;gap:.4rem}
#legend{position:absolute;inset-inline-start:1rem;bottom:1rem;background:var(--card);border:1px solid var(--line);border-radius:.45rem;font-size:.85rem;max-width:16rem}
#legend summary{padding:.4rem .7rem;cursor:pointer;border-radius:.45rem}
#legend ul{padding:0 .8rem .6rem}
#legend li{display:flex;align-items:center;gap:.6rem;padding:.15rem 0}
.mark{flex:none;width:1.15rem;height:.8rem;border:1.5px solid var(--line-strong);border-radius:.2rem;background:var(--card)}
[data-kind=system] .mark{background:var(--system);border-color:var(--system-edge)}
[data-kind=dataset] .mark{background:var(--dataset);border-color:var(--dataset-edge);border-radius:50%/.22rem}
[data-kind=category] .mark{background:var(--category);border-color:var(--category-edge);border-radius:1rem}
[data-kind=identity] .mark{background:var(--accent);border-color:var(--accent);border-radius:1rem}
[data-kind=request] .mark{border-color:var(--accent)}
[data-tone=deleted] .mark{border-color:var(--deleted);border-width:2px}
[data-tone=masked] .mark{border-color:var(--masked);border-width:2px}
[data-tone=kept] .mark{border-color:var(--kept);border-width:2px}
[data-tone=open] .mark{border:2px dashed var(--open)}
[data-tone=faint] .mark,[data-kind=other] .mark{border-style:dashed;border-color:var(--line-strong);background:none}
.line{flex:none;width:1.15rem;height:0;border-top:2px solid var(--wire)}
[data-edge=flow]{border-color:var(--system-edge)}
[data-edge=way]{border-color:var(--accent)}
[data-edge=inferred]{border-top:4px double var(--accent)}
[data-edge=part]{border-top:2px dashed var(--accent)}
[data-edge=open]{border-top:2px dotted var(--open)}
noscript{position:fixed;inset:auto 0 0;padding:1rem;background:var(--card)}
${panelStyle}`
