"""A network of our format as a policy of MaskablePPO."""

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor

from spielwerk.nets.module import NetworkModule
from spielwerk.nets.network import Network


class NetworkPolicy(MaskableActorCriticPolicy):
    """Its policy head says how likely actions are, its value head what is still to come."""

    module: NetworkModule

    def __init__(self, *given: Any, network: Network, **options: Any) -> None:
        self._network = network
        super().__init__(*given, **options)

    def _build(self, lr_schedule: Any) -> None:
        self.module = NetworkModule(self._network)
        head = self._network.description.heads["policy"]
        self._first, self._last = head.first, head.first + head.outputs
        self._wins = self._network.description.heads["value"].unit == "win"
        rate = {"lr": lr_schedule(1)}
        self.optimizer = self.optimizer_class(self.module.parameters(), **rate, **self.optimizer_kwargs)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        distribution, values = self._answers(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        distribution, values = self._answers(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: Any, action_masks: np.ndarray | None = None) -> MaskableDistribution:
        return self._answers(obs, action_masks)[0]

    def predict_values(self, obs: Any) -> Tensor:
        return self._values(self.module(obs))

    def _answers(self, obs: Tensor, action_masks: Any) -> tuple[MaskableDistribution, Tensor]:
        said = self.module(obs)
        distribution = self.action_dist.proba_distribution(action_logits=self._logits(said["policy"]))
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution, self._values(said)

    def _logits(self, known: Tensor) -> Tensor:
        """Logits of all actions; those that the head does not know are as likely as the mean of the others."""
        actions = int(self.action_space.n)  # type: ignore[attr-defined]
        if known.shape[1] == actions:
            return known
        logits = known.mean(dim=1, keepdim=True).expand(-1, actions).clone()
        logits[:, self._first : self._last] = known
        return logits

    def _values(self, said: dict[str, Tensor]) -> Tensor:
        """What is still to come in rewards; a chance to win is told as a logit."""
        return torch.sigmoid(said["value"]) if self._wins else said["value"]
