import type { PrivacyService } from '@habeas/core'

/** The interface as something serves it. */
export interface Skin {
  /** Where it is mounted, without a slash at the end. */
  readonly baseUrl: string
  /** True where body parsers of the host stand in front. */
  readonly parsesBodies?: boolean
  fetch(url: string, init: RequestInit): Promise<Response>
  close(): Promise<void>
}

export type OpenSkin = (privacy: PrivacyService) => Promise<Skin>
