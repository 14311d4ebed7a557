// Scores by the original programs, from tests/data/scores/reference.json (scripts/references/score_reference.py).
#pragma once

#include "base/files.h"
#include "base/json.h"
#include "support/source_tree.h"

namespace transformeter {

inline const Json& score_reference() {
  static const Json reference =
      parse_json("reference.json", read_file(source_directory() / "tests/data/scores/reference.json"));
  return reference;
}

}  // namespace transformeter
