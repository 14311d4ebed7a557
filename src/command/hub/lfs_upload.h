// One large file to where the hub says.
#pragma once

#include <cstdint>
#include <filesystem>

#include "hub/hub_api.h"

namespace transformeter {

/// In one piece or in parts, as `object` has it, and tells the hub when it asks to be told. `object` has an upload.
/// Throws what hub_refusal gives, and Error(kBadInput) for parts that do not add up to the file.
void upload_object(HubApi& api, const Repository& repository, const LfsObject& object,
                   const std::filesystem::path& file, const SentBytes& sent);

}  // namespace transformeter
