//===-- Page.cpp - puts the data of a verification into its page ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "page/Page.h"
#include "page/Frame.h"
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;
using Json = nlohmann::json;

constexpr int PlanSchema = 1;

static Json parse(const std::string &Text) {
  return Json::parse(Text, nullptr, /*allow_exceptions=*/false);
}

std::string bankstripe::runtime::whyNoPlan(const std::string &Text) {
  const Json Plan = parse(Text);
  if (!Plan.is_object() || Plan.value("tool", Json()) != "bankstripe")
    return "it is not what 'bankstripe rewrite --format=json' prints";
  if (Plan.value("schema", Json()) != PlanSchema)
    return "its schema is not " + std::to_string(PlanSchema) +
           "; use the bankstripe of this version";
  return "";
}

// What the page shows of a plan.
static Json shownPlan(const std::string &Text) {
  if (!whyNoPlan(Text).empty())
    return nullptr;
  Json Plan = parse(Text);
  Plan.erase("kernels");
  for (Json &Array : Plan["arrays"])
    if (Array.is_object())
      Array.erase("uses");
  return Plan;
}

std::string bankstripe::runtime::htmlPage(const PageInputs &Inputs) {
  const Json Data = {{"version", BANKSTRIPE_VERSION},
                     {"time", Inputs.Time},
                     {"verify", parse(Inputs.Verification)},
                     {"plan", shownPlan(Inputs.Plan)}};
  // What programs print need not be UTF-8.
  return pageWith(Data.dump(-1, ' ', false, Json::error_handler_t::replace));
}
