/** The list, the details, and how all of it stands on a phone. */
export const panelStyle = `#list{overflow-y:auto;border-inline-end:1px solid var(--line);padding:.35rem .6rem 1.5rem;scroll-padding:3rem}
.group h2{position:sticky;top:-.35rem;z-index:1;background:var(--paper);font:600 .85rem/1.4 var(--sans);color:var(--soft);padding:.75rem .6rem .35rem}
.count{font-weight:400}
.group li{content-visibility:auto;contain-intrinsic-height:auto 2.6rem}
.entry{display:flex;align-items:center;gap:.6rem;width:100%;text-align:start;border-color:transparent;background:none;padding:.35rem .6rem}
.entry:hover{background:var(--mark);border-color:transparent}
.entry[aria-current]{background:var(--mark);border-color:var(--accent)}
.entry .label{flex:1 1 auto;min-width:0}
.entry .note{flex:none;max-width:45%;color:var(--soft);font-size:.83rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.entry:focus-visible{outline-offset:-.1rem}
.none{color:var(--soft);padding:1rem .6rem}
#details{width:min(27rem,38vw);overflow-y:auto;border-inline-start:1px solid var(--line);padding:1.1rem 1.25rem 2rem;background:var(--card)}
#details h2{font:600 1.35rem/1.25 var(--serif)}
#details h2:focus{outline:none}
#details h2:focus-visible{outline:.15rem solid var(--accent);outline-offset:.2rem;border-radius:.15rem}
#details h3{font:600 1rem/1.3 var(--serif);margin-top:1.6rem}
#details h4,#details summary{font-weight:600;font-size:.95rem}
.kind,.key{color:var(--soft);font-size:.87rem}
.deeds{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:.8rem}
#details dl{margin-top:.5rem}
#details dl>div{display:grid;grid-template-columns:minmax(5.5rem,8.5rem) minmax(0,1fr);align-items:baseline;gap:.1rem .9rem;padding:.32rem 0;border-top:1px solid var(--line)}
#details dl>div:first-child{border-top:0}
#details dt{grid-column:1;color:var(--soft);font-size:.9rem}
#details dd{grid-column:2;white-space:pre-wrap}
#details .note{color:var(--soft);font-size:.87rem;font-weight:400;margin-inline-start:.5rem}
.card{border:1px solid var(--line);border-radius:.5rem;background:var(--paper);padding:.6rem .85rem;margin-top:.6rem}
summary{cursor:pointer}
.link{border:0;background:none;padding:0;min-height:1.5rem;color:var(--accent);text-decoration:underline;text-decoration-thickness:.06em;text-underline-offset:.2em;text-align:start}
.link:hover{text-decoration-thickness:.12em}
@media (max-width:1180px){#top{flex-wrap:wrap}#find{order:3;flex:1 1 100%}#query{flex:1 1 10rem}#filters select{width:9.5rem}main{grid-template-columns:16rem minmax(0,1fr) auto}}
@media (max-width:760px){
body{overflow:hidden}
button,input,select{min-height:2.75rem}
#details summary,#legend summary{padding-block:.7rem}
#graph{bottom:4.25rem}
.small{display:inline-block}
#top{padding:.7rem .9rem;gap:.6rem}
#name{flex:1 1 12rem}
h1{font-size:1.2rem}
#find{flex-wrap:wrap}
#query{flex:1 1 9rem;width:auto}
#filters{display:none;flex:1 1 100%;flex-direction:column;align-items:stretch;order:4}
#filters.open{display:flex}
#filters select{width:100%}
main{display:block;position:relative}
#picture{position:absolute;inset:0}
#list,#details{position:absolute;z-index:5;inset:auto 0 0;max-height:72%;width:auto;background:var(--card);border:0;border-top:1px solid var(--line-strong);border-radius:1rem 1rem 0 0;box-shadow:0 -.5rem 1.5rem rgb(0 0 0/.16);padding-bottom:1.5rem;overscroll-behavior:contain}
#list{display:none;bottom:4.25rem;max-height:calc(100% - 5rem)}
#list.open{display:block}
.group h2{background:var(--card)}
#details{height:62%;max-height:none}
main:has(#details:not([hidden])) #picture{bottom:62%}
main:has(#details:not([hidden])) :is(#tools,#legend){display:none}
#details header{position:sticky;top:-1.1rem;z-index:1;background:var(--card);padding:.2rem 0 .6rem}
#details .link{min-height:2rem}
#tools{inset-inline:.9rem;bottom:.8rem;z-index:4}
#tools #open-list{flex:1}
#legend{inset:.6rem .9rem auto auto;max-width:14rem;z-index:3}
main:has(#details:not([hidden])) #graph{bottom:0}
}
@media (prefers-reduced-motion:no-preference){button{transition:border-color .12s,background-color .12s}}
`
