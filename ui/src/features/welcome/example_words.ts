/** The examples in the user's language. Pure. */
import { t } from "@lingui/core/macro";
import type { ExamplePrompt } from "../../protocol/generated";

export function exampleWords({ kind, path }: ExamplePrompt): string {
  const file = path ?? "";
  switch (kind) {
    case "explain_project":
      return t`Explain what this project does and how it is laid out`;
    case "explain_file":
      return t`Explain how ${file} works, step by step`;
    case "sum_up_file":
      return t`Sum up what ${file} says`;
    case "list_open_tasks":
      return t`List what is still to be done here, by what the files say`;
    case "find_bugs":
      return t`Look for mistakes in ${file} and tell me the most serious one`;
    case "run_tests":
      return t`Run the tests and explain what fails`;
    case "write_tests":
      return t`Write tests for ${file}`;
    case "check_readme":
      return t`Compare ${file} with the code and correct what is out of date`;
    case "write_readme":
      return t`Write a README.md that says what this is and how to start it`;
    case "start_page":
      return t`Make a small web page that shows a clock`;
    case "start_script":
      return t`Write a script that renames photos by the day they were taken`;
    case "start_notes":
      return t`Begin a README.md with a plan for a new project`;
  }
}
