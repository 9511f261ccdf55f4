/** The words of this folder, in English. */
export const texts = {
  deploying: 'Deploying',
  stopped: 'Stopped',
  open: 'Open',
  opensLater: 'Opens later',
  closed: 'Closed',
}
