export type ActionType = 'access' | 'erasure'
