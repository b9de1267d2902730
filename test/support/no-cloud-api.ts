/** For webhooks without messages and numbers: no endpoint in Meta's format gets anything. */
export const noCloudApi = { renderBody: async () => null, findNumber: async () => null }
