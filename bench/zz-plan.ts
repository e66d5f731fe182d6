import { planning } from './access/planning.js'
const r = await planning([1000, 10_000], 5)
console.log(r)
