// Registers the family `distilbert`.
#pragma once

namespace transformeter {

class ModelRegistry;

void register_distilbert(ModelRegistry& registry);

}  // namespace transformeter
