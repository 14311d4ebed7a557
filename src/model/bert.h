// Registers the family `bert`.
#pragma once

namespace transformeter {

class ModelRegistry;

void register_bert(ModelRegistry& registry);

}  // namespace transformeter
