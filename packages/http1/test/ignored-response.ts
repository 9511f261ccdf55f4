/** Takes a response and does nothing with it. */
export const IGNORED = {
  onInformation() {},
  onHead() {},
  onUpgrade() {},
  onTunnelData() {},
  onData() {},
  onEnd() {},
}
