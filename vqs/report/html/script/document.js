// A page of text and tables, which are there without any script.

import { openPage } from "./page.js";

openPage(() => ({}));
