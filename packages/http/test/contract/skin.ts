import type { PrivacyService } from '@habeas/core'
import type { HttpInterfaceOptions } from '@habeas/http'

/** The interface as something serves it. */
export interface Skin {
  /** Where it is mounted, without a slash at the end. */
  readonly baseUrl: string
  /** True where body parsers of the host stand in front. */
  readonly parsesBodies?: boolean
  fetch(url: string, init: RequestInit): Promise<Response>
  close(): Promise<void>
}

export type SkinOptions = Pick<HttpInterfaceOptions, 'openIntake'>
export type OpenSkin = (privacy: PrivacyService, options?: SkinOptions) => Promise<Skin>
