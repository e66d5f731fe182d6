export { type DataMapPageInput, dataMapPage } from './data-map-page.js'
export { type PlanPageInput, planPage } from './plan-page.js'
