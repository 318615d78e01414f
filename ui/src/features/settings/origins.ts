/** The words for where a value comes from. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { SettingOrigin } from "../../protocol/generated";

export const origins: Readonly<Record<SettingOrigin, MessageDescriptor>> = {
  default: msg`Default`,
  user: msg`Your file`,
  project: msg`This folder`,
};
