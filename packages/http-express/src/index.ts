export {
  createPrivacyRouter,
  type ExpressRequest,
  type ExpressResponse,
  type PrivacyRouter,
  type PrivacyRouterOptions,
} from './privacy-router.js'
