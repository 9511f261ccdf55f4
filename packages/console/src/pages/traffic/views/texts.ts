import { plural } from '../../../language/plural.ts'

/** The words of this folder, in English. */
export const texts = {
  views: 'Views',
  copyLink: 'Copy link',
  noSavedViews: 'No saved views',
  shared: 'Shared',
  private: 'Private',
  theViewIsPrivateNow: 'The view is private now.',
  theViewIsShared: 'The view is shared with the organization.',
  of: (createdBy: string) => `of ${createdBy}`,
  deleteTheView: (name: string) => `Delete the view ${name}`,
  theViewIsDeleted: 'The view is deleted.',
  theViewIsSaved: 'The view is saved.',
  viewName: 'View name',
  save: 'Save',
  theseFiltersAreToo: 'These filters are too long to be saved.',
  shareWithTheOrganization: 'Share with the organization',
  theViewsOf: 'The views of this browser are saved for you everywhere.',
  thisBrowserKeepsView: (views: number) =>
    `This browser keeps ${views} ${plural(views, { one: 'view', other: 'views' })} of its own.`,
  moveToTheServer: 'Move to the server',
  forget: 'Forget',
}
