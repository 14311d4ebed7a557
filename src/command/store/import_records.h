// The objects in an export's lines as records, with every field checked.
#pragma once

#include <string>

#include "schema/record.h"
#include "store/export_lines.h"

namespace transformeter {

/// A case or replicate with the ids it belongs to.
struct ImportedCase {
  std::string run;
  CaseRecord record;
};
struct ImportedReplicate {
  std::string run;
  std::string the_case;
  ReplicateRecord record;
};

// `object` is what the line's one key holds. Throws Error(kBadInput) that names the field: missing, unknown, of another
// type or out of range.
RunRecord imported_run(Json object);
ImportedCase imported_case(Json object);
ImportedReplicate imported_replicate(Json object);
ExportCount imported_end(Json object);
/// The schema version; throws when the line is not an export's first, or the version is not known here.
void check_header(Json object);

}  // namespace transformeter
