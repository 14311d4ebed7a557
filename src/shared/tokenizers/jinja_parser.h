// From the tokens of a template to its tree.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/jinja_value.h"

namespace transformeter::jinja {

struct Expression {
  enum class Kind {
    kLiteral,    // value
    kName,       // text
    kMember,     // children[0].text
    kIndex,      // children[0][children[1]]
    kSlice,      // children[0][children[1]:children[2]]; a missing end is an undefined literal
    kCall,       // text(children): raise_exception
    kMethod,     // children[0].text(children[1], …)
    kFilter,     // children[0] | text(children[1], …)
    kTest,       // children[0] is text
    kUnary,      // text children[0]: not, -
    kBinary,     // children[0] text children[1]
    kCondition,  // children[1] if children[0] else children[2]
  };
  Kind kind = Kind::kLiteral;
  std::string text;
  Value value;
  std::vector<Expression> children;
  int line = 1;
  int height = 1;  // of the tree
};

struct Statement {
  enum class Kind {
    kData,    // text
    kOutput,  // expression
    kSet,     // text = expression
    kIf,      // body if expression, else otherwise
    kFor,     // body for each text in expression, where `filter` holds
  };
  Kind kind = Kind::kData;
  std::string text;
  Expression expression;
  std::vector<Expression> filter;  // none or one
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  int line = 1;
};

struct Template {
  std::vector<Statement> body;
};

/// Throws Error(kBadInput) "WHERE: line N: …" that names what is not supported.
Template parse_template(std::string_view text, const std::string& where);

}  // namespace transformeter::jinja
